"""Images with a vector for each class: evaluate, tune, run, calibrate."""
