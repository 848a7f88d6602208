#!/usr/bin/env python3
"""Records what NCCL chooses: record_choices.py ask_nccl ringcast > choices-2.28.9.csv (see README.md)."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from nccl_topology import topology_of

CATALOGUE = Path(__file__).parents[2] / "scenarios" / "clusters"
MADE_UP = Path(__file__).parent / "clusters"
# Clusters that NCCL's topology file can describe completely, and numbers of nodes.
JOBS = {
    "2080ti-bridge": [1], "2080ti-pair": [1], "4090-epyc": [1], "4090-rome": [1],
    "5090-9gpu": [1], "5090-genoa": [1], "a100-hdr": [2], "a100-hdr-2-nodes": [1, 2],
    "a100-hdr-3-nodes": [2, 3], "a100-pcie3": [1], "a40-pairs": [1], "aws-p5": [2, 4], "b200-efa": [4],
    "b200-ndr-2-nodes": [1, 2, 3, 4, 8], "dgx-2": [1], "dgx-a100-4-nodes": [1, 2, 3, 4, 8],
    "a100-intel-2-cards": [2, 4], "h100-intel-2-cards": [2, 4],
    "h100-switched-4-cards": [2, 4], "l40s-switched-1-card": [2, 4],
    "h100-bridges-2-cards": [2, 4], "dgx-h100-2-nodes": [1, 2, 3, 4, 8], "dgx1-roce": [1, 2, 3, 4, 8],
    "h100-1-card": [2, 3, 4, 8], "h100-4-cards": [1, 2, 3, 4, 8],
    "h200-4-cards": [1, 2, 3, 4, 8], "l40s-roce": [2, 3, 4], "roce100": [2, 3, 4],
    "a100-two-bridges": [1], "4090-epyc-8": [1], "4090-sockets-no-p2p": [1], "4090-switches": [1],
    "5090-switches-no-p2p": [1], "h100-pcie-2-cards": [1, 2, 4], "l40s-switched-no-p2p": [1, 2, 4],
    "v100-qpi-no-p2p": [1], "v100-switch-no-p2p": [1],
    "snellius": [1, 2, 3, 4, 8], "v100-10gbe": [2], "v100-nc12": [1], "v100-pcie-switch": [1],
    "v100-qpi": [1], "v100-roce25": [2, 3, 4], "v100-roce40": [1, 2],
}
# Numbers of GPUs of one node.
PARTS = {"b200": [2, 3, 4, 5, 6, 7], "dgx-2": [2, 4, 8], "dgx-a100": [2, 3, 4, 6],
         "dgx1-v100": [2, 3, 4], "h200": [2, 3, 4, 5, 6, 7]}
CHOICE = re.compile(r"AllReduce: (\d+) Bytes -> Algo (\w+)(?: proto (\w+) "
                    r"channel\{Lo\.\.Hi\}=\{(\d+)\.\.(\d+)\})?")
NAMES = {"NVLS": "in-switch", "TREE": "tree", "RING": "ring", "SIMPLE": "Simple"}


def choices(program, ringcast, cluster, nodes, gpus=None):
    """Lines of size, algorithm, protocol, channels at each change; in-switch sums without channels."""
    own = MADE_UP / f"{cluster}.yaml"
    described = own if own.exists() else CATALOGUE / f"{cluster}.yaml"
    topology, capability, p2p = topology_of(described, ringcast)
    environment = dict(os.environ, **({} if p2p else {"NCCL_P2P_DISABLE": "1"}))
    with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
        file.write(topology)
        file.flush()
        numbers = [str(nodes), str(capability)] + ([str(gpus)] if gpus else [])
        run = subprocess.run([program, file.name, *numbers], check=True, env=environment,
                             stdout=subprocess.PIPE, text=True, timeout=300)
    last = None
    for size, algorithm, protocol, low, high in CHOICE.findall(run.stdout):
        channels = int(high) - int(low) + 1 if high else ""
        choice = (NAMES[algorithm], NAMES.get(protocol, protocol) or "Simple", channels)
        if choice != last:
            yield (size, *choice)
        last = choice


def main():
    print("cluster,nodes,gpus_per_node,size_bytes,algorithm,protocol,channels")
    jobs = [(cluster, nodes, None) for cluster, all_nodes in JOBS.items() for nodes in all_nodes]
    jobs += [(cluster, 1, gpus) for cluster, parts in PARTS.items() for gpus in parts]
    for cluster, nodes, gpus in jobs:
        print(f"{cluster}, {nodes} nodes", file=sys.stderr)
        for choice in choices(sys.argv[1], sys.argv[2], cluster, nodes, gpus):
            print(cluster, nodes, gpus or "", *choice, sep=",")


if __name__ == "__main__":
    main()
