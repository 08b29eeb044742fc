"""Progress: what a student did, kept in a file of their own, and what follows from it. Nothing of it is ever sent anywhere."""
