"""The files of deploy/: whether they say what the server, and each other, expect."""

import json
import os
import re
import shutil
import subprocess
import urllib.request
from pathlib import Path

import pytest
import yaml

from support.kubernetes import faults
from support.proxies import HAProxy, Nginx, found
from support.server import ROOT, program

DEPLOY = ROOT / "deploy"


def rooms(*arguments, **environment):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ROOMS_")}
    return subprocess.run(
        program("rooms", "ROOMS_SERVER") + list(arguments), capture_output=True, text=True, timeout=20,
        env={**kept, **environment})


@pytest.fixture(scope="module")
def settings():
    """Environment variables of all settings."""
    text = rooms("help", "--markdown").stdout
    names = set(re.findall(r"^\| `([a-z0-9-]+)`", text, re.M))
    assert len(names) > 40
    return {"ROOMS_" + name.upper().replace("-", "_") for name in names} | {"ROOMS_CONFIG"}


# In which a node of a cluster gives its rooms away, after it has drained.
ROOMS_SECONDS = 30


def seconds(unit, name):
    return int(re.search(rf"^{name}=(\d+)s", unit, re.M)[1])


def default(name):
    return re.search(rf"^{name} +(\S+)", rooms("check-config").stdout, re.M)[1]


class TestSystemd:
    UNIT = (DEPLOY / "systemd/rooms.service").read_text()

    @pytest.fixture
    def unit(self, tmp_path):
        """The unit with programs and users that are here."""
        path = tmp_path / "rooms.service"
        path.write_text(self.UNIT.replace("/usr/local/bin/rooms", program("rooms", "ROOMS_SERVER")[0]))
        shutil.copy(DEPLOY / "systemd/rooms.socket", tmp_path)
        return path

    def analyze(self, *arguments):
        return subprocess.run(["systemd-analyze", "--no-pager", *map(str, arguments)], capture_output=True, text=True)

    def test_systemd_finds_nothing_wrong_with_unit_and_socket(self, unit):
        done = self.analyze("verify", "--man=no", unit, unit.with_suffix(".socket"))
        assert done.returncode == 0 and "rooms" not in done.stderr, done.stderr

    def test_its_exposure_is_at_most_1_5(self, unit):
        done = self.analyze("security", "--offline=true", "--threshold=15", unit)
        assert done.returncode == 0, done.stdout + done.stderr
        low_port = unit.read_text() + (DEPLOY / "systemd/low-port.conf").read_text()
        unit.write_text(low_port)
        done = self.analyze("security", "--offline=true", "--threshold=20", unit)
        assert done.returncode == 0, done.stdout + done.stderr

    def test_its_times_and_limits_fit_the_servers(self):
        drain = int(default("drain-timeout").removesuffix("s"))
        assert seconds(self.UNIT, "TimeoutStopSec") > drain + ROOMS_SECONDS
        descriptors = int(re.search(r"LimitNOFILE=(\d+)", self.UNIT)[1])
        told = rooms("check-config", "--connections-max", "100000", "--threads", "64").stderr
        needed = re.search(r"100000 connections need (\d+) file descriptors", told)
        # Where nothing is told this machine allows as many as are needed.
        assert not needed or int(needed[1]) <= descriptors

    def test_its_configuration_is_good(self, tmp_path):
        (tmp_path / "secret").write_text("s" * 40)
        (tmp_path / "secret").chmod(0o400)
        text = (DEPLOY / "systemd/rooms.conf").read_text()
        path = tmp_path / "rooms.conf"
        path.write_text(text.replace("/etc/rooms/secret", str(tmp_path / "secret"))
                        .replace("/var/lib/rooms", str(tmp_path / "data")))
        done = rooms("check-config", ROOMS_CONFIG=str(path))
        assert done.returncode == 0 and not done.stderr, done.stderr


class TestSysctl:
    def test_every_name_is_one_of_the_kernels(self):
        text = (DEPLOY / "sysctl.d/90-rooms.conf").read_text()
        names = re.findall(r"^#?([a-z0-9_.]+) = ", text, re.M)
        assert len(names) > 10
        missing = [name for name in names if not (Path("/proc/sys") / name.replace(".", "/")).exists()]
        # A container's own network has not all of them, and conntrack is a module.
        outside = ("net.core.", "net.netfilter.", "net.ipv4.tcp_m", "net.ipv4.tcp_r", "net.ipv4.tcp_w", "fs.")
        assert not [name for name in missing if not name.startswith(outside)]


class TestContainer:
    DOCKERFILE = (DEPLOY / "docker/Dockerfile").read_text()

    def test_it_installs_what_programs_are_built_and_linked_with(self):
        script = (DEPLOY / "install-dependencies.sh").read_text()
        built_on = re.search(r"packages_to_build\(\) \{\s+echo ([^\n]+)", script)[1].split()
        build, runtime = self.DOCKERFILE.split("\nFROM ")[1:] if self.DOCKERFILE.count("\nFROM ") == 2 else (
            self.DOCKERFILE.split("\nFROM ")[-2:])
        assert set(built_on) <= set(build.split())
        if not shutil.which("dpkg-query"):
            pytest.skip("no Debian")
        for product in (program("rooms", "ROOMS_SERVER")[0],):
            # What these need themselves, their packages bring.
            needed = re.findall(
                r"\(NEEDED\).*\[(.+)\]", subprocess.run(["readelf", "-d", product], capture_output=True, text=True).stdout)
            libraries = re.findall(r"=> (/\S+)", subprocess.run(["ldd", product], capture_output=True, text=True).stdout)
            # Swift's own are in the program itself there.
            libraries = [library for library in libraries if Path(library).name in needed
                         and "swift" not in library and "Foundation" not in library]
            assert len(libraries) > 3
            owners = subprocess.run(
                ["dpkg-query", "-S", *(f"*/{Path(library).name}" for library in libraries)],
                capture_output=True, text=True).stdout.splitlines()
            for library in libraries:
                packages = {line.split(":")[0] for line in owners if line.endswith("/" + Path(library).name)}
                essential = {"libc6", "libgcc-s1", "libstdc++6"}
                assert packages & (essential | set(runtime.split())), f"{library} of {packages} is not installed"

    def test_variables_are_settings(self, settings):
        variables = set(re.findall(r"ROOMS_[A-Z_]+(?==)", self.DOCKERFILE))
        for file, service in self.SERVICES:
            variables |= set(yaml.safe_load((DEPLOY / file).read_text())["services"][service]["environment"])
        assert variables and variables <= settings

    SERVICES = [("docker/compose.yaml", "rooms"), *(("docker/compose.cluster.yaml", f"node{n}") for n in (1, 2, 3))]

    @pytest.mark.parametrize("file, service", SERVICES)
    def test_compose_locks_it_up_and_lets_it_drain(self, file, service, tmp_path):
        service = yaml.safe_load((DEPLOY / file).read_text())["services"][service]
        assert service["read_only"] and service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        rooms_seconds = ROOMS_SECONDS if "cluster" in file else 0
        drain = int(default("drain-timeout").removesuffix("s"))
        assert int(service["stop_grace_period"].removesuffix("s")) > drain + rooms_seconds
        assert (DEPLOY / "docker" / service["build"]["context"]).resolve() == ROOT.resolve()
        done = rooms("check-config", **{
            name: value.replace("/run/secrets", str(secrets(tmp_path)))
            for name, value in service["environment"].items()})
        assert done.returncode == 0, done.stderr

    def test_the_balancer_of_the_cluster_does_as_the_sample_for_haproxy(self, tmp_path):
        compose = yaml.safe_load((DEPLOY / "docker/compose.cluster.yaml").read_text())
        text = compose["configs"]["balancer"]["content"]
        (tmp_path / "haproxy.cfg").write_text(re.sub(r"server (\S+) \S+:8080", r"server \1 127.0.0.1:9", text))
        checked = subprocess.run(
            [found("haproxy"), "-c", "-f", str(tmp_path / "haproxy.cfg")], capture_output=True, text=True)
        assert checked.returncode == 0, checked.stderr
        sample = (DEPLOY / "haproxy/haproxy.cfg").read_text()
        for line in text.partition("backend rooms_cluster")[2].splitlines():
            if line.split()[:1] not in ([], ["server"]):
                assert line.strip() in sample, line

    def test_the_health_check_tells_a_server_that_serves_from_one_that_does_not(self, rooms_server):
        def check(*arguments, **environment):
            return subprocess.run(
                [DEPLOY / "docker/healthcheck.sh", *arguments], env=os.environ | environment, timeout=10,
                stderr=subprocess.DEVNULL).returncode

        assert check(f"127.0.0.1:{rooms_server.port}") == 0
        assert check("127.0.0.1:1") == 1
        assert check(ROOMS_LISTEN=f"0.0.0.0:{rooms_server.port},127.0.0.1:1") == 0
        assert check(ROOMS_LISTEN=f"[::]:1,127.0.0.1:{rooms_server.port}") == 1


def secrets(folder):
    """The files that a container finds in its secrets."""
    for name, text in {
            "rooms": "s" * 40, "secret": "s" * 40, "cluster": "c" * 40, "cluster-secret": "c" * 40,
            "store": "postgresql://rooms:x@postgres/rooms", "redis": "rediss://rooms:x@redis:6379"}.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o400)
    return folder


class TestKubernetes:
    ENVIRONMENT = {}
    ROOMS_SECONDS = 0
    OBJECTS = list(yaml.safe_load_all((DEPLOY / "kubernetes/rooms.yaml").read_text()))

    def one(self, kind):
        return next(thing for thing in self.OBJECTS if thing["kind"] == kind)

    def test_every_field_is_known_and_of_its_type(self):
        assert {thing["kind"]: faults(thing) for thing in self.OBJECTS if faults(thing)} == {}

    def test_a_misspelt_field_is_found(self):
        wrong = yaml.safe_load("{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: x},"
                               " spec: {maxUnavailible: 1, selector: {matchLabels: {a: 1}}}}")
        assert len(faults(wrong)) == 2

    def test_names_lead_to_what_is_there(self):
        pod = self.one("StatefulSet")["spec"]["template"]
        labels = pod["metadata"]["labels"]
        for thing in self.OBJECTS:
            spec = thing.get("spec", {})
            for selector in (spec.get("selector"), spec.get("podSelector")):
                if selector:
                    assert (selector.get("matchLabels") or selector).items() <= labels.items()
        claims = self.one("StatefulSet")["spec"].get("volumeClaimTemplates", [])
        volumes = {thing["name"] for thing in pod["spec"]["volumes"]} | {claim["metadata"]["name"] for claim in claims}
        services = {thing["metadata"]["name"] for thing in self.OBJECTS if thing["kind"] == "Service"}
        assert self.one("StatefulSet")["spec"]["serviceName"] in services
        for container in pod["spec"]["containers"] + pod["spec"]["initContainers"]:
            assert {mount["name"] for mount in container["volumeMounts"]} <= volumes
        user = re.search(r"^USER (\d+):(\d+)", TestContainer.DOCKERFILE, re.M)
        assert int(user[1]) == pod["spec"]["securityContext"]["runAsUser"]

    def test_its_configuration_is_good_and_fits_its_times(self, tmp_path):
        secrets(tmp_path)
        (tmp_path / "d").mkdir(mode=0o700)
        path = tmp_path / "rooms.conf"
        text = self.one("ConfigMap")["data"]["rooms.conf"]
        text = text.replace("/run/secrets/rooms", str(tmp_path)).replace("/var/lib/rooms", str(tmp_path / "d"))
        path.write_text(text)
        # Whose word counts is for the operator to say.
        done = rooms("check-config", "--config", str(path), **self.ENVIRONMENT)
        assert done.returncode == 78 and "trusted-proxies" in done.stderr, done.stderr
        path.write_text(text.replace("CIDR-OF-THE-INGRESS-CONTROLLER", "10.244.3.0/28"))
        done = rooms("check-config", "--config", str(path), **self.ENVIRONMENT)
        assert done.returncode == 0 and not done.stderr, done.stderr
        spec = self.one("StatefulSet")["spec"]["template"]["spec"]
        drain = int(re.search(r"drain-timeout = (\d+)s", text)[1])
        stop = int(spec["containers"][0]["lifecycle"]["preStop"]["exec"]["command"][1])
        assert spec["terminationGracePeriodSeconds"] > drain + stop + self.ROOMS_SECONDS

    def test_only_the_ingress_controller_is_admitted(self):
        policy = self.one("NetworkPolicy")["spec"]
        assert policy["policyTypes"] == ["Ingress"] and policy["ingress"]
        for rule in policy["ingress"]:
            # Both in one entry: these pods of that namespace. In two they would admit either.
            assert rule["from"] and all(
                peer["podSelector"]["matchLabels"] and peer["namespaceSelector"]["matchLabels"] for peer in rule["from"])

    def test_the_server_answers_its_probes(self, rooms_server):
        container = self.one("StatefulSet")["spec"]["template"]["spec"]["containers"][0]
        for probe in ("readinessProbe", "livenessProbe", "startupProbe"):
            path = container[probe]["httpGet"]["path"]
            with urllib.request.urlopen(rooms_server.url + path, timeout=5) as answer:
                assert answer.status == 200 and json.load(answer)["status"] in ("healthy", "alive")


class TestKubernetesCluster(TestKubernetes):
    ENVIRONMENT = {"ROOMS_CLUSTER_NODE": "2"}
    ROOMS_SECONDS = ROOMS_SECONDS
    OBJECTS = list(yaml.safe_load_all((DEPLOY / "kubernetes/cluster.yaml").read_text()))

    def test_each_pod_is_a_node_and_all_share_the_uploaded_files(self):
        spec = self.one("StatefulSet")["spec"]
        assert spec["podManagementPolicy"] == "OrderedReady" and spec["replicas"] <= 64
        container = spec["template"]["spec"]["containers"][0]
        [node] = [each for each in container["env"] if each["name"] == "ROOMS_CLUSTER_NODE"]
        assert "pod-index" in node["valueFrom"]["fieldRef"]["fieldPath"]
        claim = self.one("PersistentVolumeClaim")
        [volume] = [each for each in spec["template"]["spec"]["volumes"] if "persistentVolumeClaim" in each]
        assert volume["persistentVolumeClaim"]["claimName"] == claim["metadata"]["name"]
        assert claim["spec"]["accessModes"] == ["ReadWriteMany"]
        assert self.one("PodDisruptionBudget")["spec"]["maxUnavailable"] == 1


def test_proxies_take_bodies_as_large_as_the_server_does():
    nginx = (ROOT / Nginx.source).read_text()
    allowed = int(re.search(r"client_max_body_size (\d+)m", nginx)[1]) * 1_000_000
    assert allowed > int(re.sub(r"\D", "", default("max-payload").replace("MB", "000000")))
    assert (ROOT / HAProxy.source).exists()
