"""Do the cases of an attack do what the attack promises? People read them."""
