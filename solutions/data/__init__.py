"""References for the chapter on data: storage, order, mixtures and loading."""
