"""References of the chapter on data: storage, order, mixtures and loading."""
