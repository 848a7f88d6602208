"""Writes NCCL's topology file for a node of a cluster file, with the compute capability of its GPUs."""

import json
import re
import subprocess

import yaml

# Transfers per second and lane, in NCCL's spelling (src/graph/xml.h).
PCIE = {"3.0": "8.0 GT/s PCIe", "4.0": "16.0 GT/s PCIe", "5.0": "32.0 GT/s PCIe"}
# Mbit/s of the network classes whose name has no rate.
NETWORKS = {"infiniband-ndr-4x": 400000, "infiniband-ndr-2x": 200000, "infiniband-hdr-4x": 200000,
            "slingshot-11": 200000}
# What the plugin for EFA reports, us (topology/nccl/aws_tuner.hpp).
LATENCIES = {"efa-100g": 75, "efa-400g": 35}
# Intel's models by the first letters of the link between sockets: Broadwell, Skylake, Ice Lake,
# Sapphire Rapids, Emerald Rapids.
INTEL = {"qpi": 79, "upi-10": 85, "upi-11": 106, "upi-16": 143, "upi-20": 207, "upi-24": 207}


def network_speed(link):
    """Mbit/s."""
    gigabits = re.search(r"-(\d+)g$", link)
    return int(gigabits[1]) * 1000 if gigabits else NETWORKS[link]


class _Writer:
    """Writes the node's tree; GPUs, cards and bridges get addresses in order."""

    def __init__(self, cluster, capability):
        self.capability = capability
        self.node = cluster["node_types"][cluster["nodes"][0]["type"]]
        self.gpudirect = self.node.get("gpudirect", True)
        links = cluster.get("links") or {}
        self.links = {name: link if isinstance(link, str) else link["class"]
                      for name, link in links.items()}
        fabric = cluster.get("fabric") or {}
        network = self.class_of(fabric["link"]) if "link" in fabric else None
        self.speed = network_speed(network) if network else None
        self.latency = LATENCIES.get(network)
        self.lines, self.gpus = [], []
        self.addresses = self.cards = 0

    def class_of(self, link):
        return self.links.get(link, link)

    def pci(self, kind, link, indent):
        self.addresses += 1
        address = f"{self.addresses:04x}:01:00.0"
        speed = re.match(r"pcie-(\d\.\d)-x(\d+)", self.class_of(link))
        self.lines.append(f'{indent}<pci busid="{address}" class="{kind}" '
                          f'link_speed="{PCIE[speed[1]]}" link_width="{speed[2]}">')
        return address

    def gpu(self, link, indent):
        index = len(self.gpus)
        self.gpus.append(self.pci("0x030200", link, indent))
        self.lines.append(f'{indent} <gpu dev="{index}" sm="{self.capability}" '
                          f'gdr="{int(self.gpudirect)}">')
        switch = self.node.get("nvswitch")
        if switch:
            self.nvlink("ffff:ff:00.0", switch["links_per_gpu"], "0x068000", indent)
        for nvlink in self.node.get("nvlinks") or []:
            if index in nvlink["between"]:
                peer = sum(nvlink["between"]) - index
                self.nvlink(f"@{peer}@", nvlink.get("links", 1), "0x030200", indent)
        self.lines.append(f"{indent} </gpu></pci>")

    def nvlink(self, target, count, kind, indent):
        self.lines.append(f'{indent}  <nvlink target="{target}" count="{count}" tclass="{kind}"/>')

    def card(self, link, indent, ports=1):
        if self.speed is None:
            return
        self.pci("0x020000", link, indent)
        latency = f'latency="{self.latency}" ' if self.latency else ""
        self.lines.append(f'{indent} <nic><net name="net{self.cards}" dev="{self.cards}" '
                          f'speed="{ports * self.speed}" port="1" guid="{hex(self.cards + 1)}" '
                          f'{latency}maxconn="131072" gdr="1"/></nic></pci>')
        self.cards += 1

    def devices(self, devices, indent):
        gpus = sum(each.get("count", 1) for each in devices or [] if each["kind"] == "gpu")
        for device in devices or []:
            count = device.get("count", 1)
            # The plugin for EFA makes one device of the cards of a GPU.
            merged = device["kind"] == "nic" and self.latency and count > gpus > 0
            ports = count // gpus if merged else 1
            for _ in range(count // ports):
                if device["kind"] == "gpu":
                    self.gpu(device["link"], indent)
                elif device["kind"] == "nic":
                    self.card(device["link"], indent, ports)
                else:
                    self.pci("0x060400", device["link"], indent)
                    self.devices(device["devices"], indent + " ")
                    self.lines.append(f"{indent}</pci>")

    def processor(self):
        link = self.class_of(self.node.get("socket_link", ""))
        if self.node.get("cpu") == "amd" or link.startswith("xgmi"):
            return 'vendor="AuthenticAMD" familyid="143" modelid="49"'
        model = next((INTEL[start] for start in INTEL if link.startswith(start)), 143)
        return f'vendor="GenuineIntel" familyid="6" modelid="{model}"'

    def text(self):
        self.lines = ['<system version="1">']
        roots = sockets = 0
        cards = self.node.get("nics") or []
        for socket in self.node["sockets"]:
            for _ in range(socket.get("count", 1)):
                self.lines.append(f' <cpu numaid="{sockets}" affinity="00000003" arch="x86_64" '
                                  f"{self.processor()}>")
                sockets += 1
                for root in socket["root_complexes"]:
                    for _ in range(root.get("count", 1)):
                        self.devices(root.get("devices"), "  ")
                        for card in cards:
                            if card["at"] == f"root{roots}":
                                self.card(card["link"], "  ")
                        roots += 1
                self.lines.append(" </cpu>")
        text = "\n".join(self.lines + ["</system>"])
        return re.sub(r"@(\d+)@", lambda peer: self.gpus[int(peer[1])], text)


def capability_of(cluster_file, ringcast):
    """90 for SM 9.0, of the model that the cluster's key `gpu` names."""
    shown = subprocess.run([ringcast, "show", cluster_file, "--format", "json"], check=True,
                           stdout=subprocess.PIPE, text=True)
    gpu = next(vertex for vertex in json.loads(shown.stdout)["vertices"] if vertex["kind"] == "gpu")
    if gpu["compute_capability"] is None:
        raise ValueError(f"{cluster_file}: the node type has no gpu")
    return round(10 * gpu["compute_capability"])


def topology_of(cluster_file, ringcast):
    """The text, the compute capability, 90 for SM 9.0, and whether GPUs have P2P."""
    with open(cluster_file, encoding="utf-8") as file:
        writer = _Writer(yaml.safe_load(file), capability_of(cluster_file, ringcast))
    return writer.text(), writer.capability, writer.gpudirect
