"""Prints what a launcher told this process, then fails if it is asked to."""

import os
import sys
import time

names = "RANK LOCAL_RANK WORLD_SIZE LOCAL_WORLD_SIZE GROUP_RANK MASTER_ADDR OMP_NUM_THREADS".split()
words = [*(os.environ[name] for name in names), *sys.argv[1:]]
sys.stdout.write(" ".join(words) + "\n")  # in one piece: two processes write
if sys.argv[1:] == ["fail"]:
    if os.environ["RANK"] == "1":
        sys.exit(3)
    time.sleep(60)
