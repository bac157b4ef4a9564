"""Does the skill work?"""
