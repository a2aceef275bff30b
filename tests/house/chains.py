"""Divides files into as few chains as can be, in each of which every file includes the one before it, by way of others
perhaps (a minimum path cover of a transitive relation, found as a maximum matching: Fulkerson 1956).

A program that includes a chain's headers in this order proves each of them alone: what came before a header is what it
includes itself.
"""
import pathlib
from collections.abc import Mapping

File = pathlib.Path


def chains(included: Mapping[File, set[File]]) -> list[list[File]]:
    """`included`: by file, all that it reaches. Each file is in one chain."""
    # Files that include each other follow nobody: a circle has no first.
    by = {name: [other for other in included if name in included[other] and other not in included[name]]
          for name in included}
    after: dict[File, File] = {}  # by file, the one that follows it
    before: dict[File, File] = {}

    def follow(name: File, asked: set[File]) -> bool:
        """Finds a file to follow `name`, and others for those that had it."""
        for other in by[name]:
            if other in asked:
                continue
            asked.add(other)
            if other not in before or follow(before[other], asked):
                after[name], before[other] = other, name
                return True
        return False

    for name in by:
        follow(name, set())
    found = []
    for name in by:
        if name not in before:
            chain = [name]
            while chain[-1] in after:
                chain.append(after[chain[-1]])
            found.append(chain)
    return found
