"""Is the run sound?"""
