"""CLAREL: texts and images in one space (Oreshkin et al. 2019)."""
