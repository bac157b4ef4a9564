"""The steps of experiment-readout."""
