# a module
thing = nn.Linear(2, 2)

# a function
import math

thing = {"f": math.sqrt}

# an array
import numpy

thing = numpy.ones(2)

# a fraction
from fractions import Fraction

thing = {"x": Fraction(1, 2)}

# an empty file
import io

thing = io.BytesIO(b"")

# a file of something else
import io

thing = io.BytesIO(b"this is no checkpoint")

# an archive of something else
import io, zipfile

thing = io.BytesIO()
with zipfile.ZipFile(thing, "w") as archive:
    archive.writestr("archive/a.txt", "a")

# half a file
import io

whole = io.BytesIO()
torch.save(torch.ones(100), whole)
thing = io.BytesIO(whole.getvalue()[:400])

# a plain pickle
import io, pickle

thing = io.BytesIO(pickle.dumps({"a": 1}))

# an exception
thing = {"x": ValueError("why")}

# a generator
thing = {"x": torch.Generator().manual_seed(1)}
