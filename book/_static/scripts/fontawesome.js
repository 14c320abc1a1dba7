// In place of the theme's, 1.5 MB that draw icons which its fonts have as well.
