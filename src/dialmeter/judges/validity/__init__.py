"""The validity of attacks: people read cases, and decide whether the claim of the attack is true."""
