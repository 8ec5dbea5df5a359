"""Commands on logs of agents. The users have goals in words."""
