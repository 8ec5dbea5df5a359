"""Does a measure depend on how many mistakes there are and on where they are?"""
