"""Images with a vector for each class: the data of the attributes setting."""
