"""Progress: what a student did, saved in a local file, and what follows from it. None of it is ever sent anywhere."""
