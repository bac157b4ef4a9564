"""What Claude Code calls, in a blink."""
