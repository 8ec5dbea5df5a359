"""Commands on logs of agents, whose users have goals in words."""
