"""Ours beside the floor and a peer, measured in one run."""
