"""References of the chapter on FLOP, the roofline and MFU."""
