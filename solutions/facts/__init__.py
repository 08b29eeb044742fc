"""Facts that all chapters share: hardware, tables of numbers with their sources, and checks of arguments."""
