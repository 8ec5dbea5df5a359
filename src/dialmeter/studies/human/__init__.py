"""Do measures agree with what people say about predicted states?"""
