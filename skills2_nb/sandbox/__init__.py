"""Code run behind a wall: files, network, time, output."""
