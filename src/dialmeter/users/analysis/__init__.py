"""Questions about dialogues of users: can they be scored, who is to blame for a loss, how are goals expressed, which have an event?"""
