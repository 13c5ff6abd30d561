"""The node's image, built bit for bit from locked parts: an OCI layout, its digest, its bill of materials.

Two stages. The machine's own Python fetches what `lock.json` names and unpacks the Python that goes into the image
(`building`). That Python then makes every byte of the image (`assembling`), so that no compiler of bytecode, no
compression and no tar of the building machine decides the digest. Standard library alone.
"""
