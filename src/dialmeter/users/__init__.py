"""Users: does a user simulator say all that its goal asks for, and nothing that it should not?"""
