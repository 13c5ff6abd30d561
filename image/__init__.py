"""The node's image, built bit for bit from locked parts.

First the machine's own Python fetches what `lock.json` names and unpacks the Python of the image
(`building`). Then that Python makes every byte of the image (`assembling`), so that no compiler,
compression or tar of the building machine decides the digest. Both use the standard library alone.
"""
