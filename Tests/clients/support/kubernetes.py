"""What objects of Kubernetes may hold, as far as deploy/kubernetes uses it: names that are not known are mostly misspelt."""

ANY = object()
TEXT, NUMBER, FLAG = str, int, bool
TEXTS = {str: str}

METADATA = {"name": TEXT, "namespace": TEXT, "labels": TEXTS, "annotations": TEXTS}
SELECTOR = {"matchLabels": TEXTS}
CONTAINER_SECURITY = {
    "allowPrivilegeEscalation": FLAG, "readOnlyRootFilesystem": FLAG, "capabilities": {"drop": [TEXT], "add": [TEXT]},
    "privileged": FLAG}
POD_SECURITY = {
    "runAsNonRoot": FLAG, "runAsUser": NUMBER, "runAsGroup": NUMBER, "fsGroup": NUMBER, "fsGroupChangePolicy": TEXT,
    "seccompProfile": {"type": TEXT}}
PROBE = {
    "httpGet": {"path": TEXT, "port": ANY}, "periodSeconds": NUMBER, "timeoutSeconds": NUMBER,
    "failureThreshold": NUMBER, "initialDelaySeconds": NUMBER}
CONTAINER = {
    "name": TEXT, "image": TEXT, "args": [TEXT], "env": [{"name": TEXT, "value": TEXT, "valueFrom": {"fieldRef": {"fieldPath": TEXT}}}],
    "ports": [{"name": TEXT, "containerPort": NUMBER}], "readinessProbe": PROBE, "livenessProbe": PROBE,
    "startupProbe": PROBE, "lifecycle": {"preStop": {"exec": {"command": [TEXT]}}},
    "securityContext": CONTAINER_SECURITY,
    "resources": {"requests": TEXTS, "limits": TEXTS},
    "volumeMounts": [{"name": TEXT, "mountPath": TEXT, "readOnly": FLAG}]}
POD = {
    "automountServiceAccountToken": FLAG, "enableServiceLinks": FLAG, "terminationGracePeriodSeconds": NUMBER,
    "securityContext": POD_SECURITY, "initContainers": [CONTAINER], "containers": [CONTAINER],
    "volumes": [{"name": TEXT, "configMap": {"name": TEXT}, "secret": {"secretName": TEXT, "defaultMode": NUMBER},
                 "emptyDir": {"sizeLimit": TEXT}, "persistentVolumeClaim": {"claimName": TEXT}}],
    "topologySpreadConstraints": [{
        "maxSkew": NUMBER, "topologyKey": TEXT, "whenUnsatisfiable": TEXT, "labelSelector": SELECTOR}]}
CLAIM = {"metadata": METADATA, "spec": {"accessModes": [TEXT], "resources": {"requests": TEXTS}}}

OBJECTS = {
    ("v1", "ConfigMap"): {"data": TEXTS},
    ("v1", "Service"): {"spec": {
        "selector": TEXTS, "clusterIP": TEXT, "ports": [{"name": TEXT, "port": NUMBER, "targetPort": ANY}]}},
    ("apps/v1", "StatefulSet"): {"spec": {
        "replicas": NUMBER, "serviceName": TEXT, "selector": SELECTOR, "template": {"metadata": METADATA, "spec": POD},
        "podManagementPolicy": TEXT, "updateStrategy": {"type": TEXT}, "volumeClaimTemplates": [CLAIM]}},
    ("v1", "PersistentVolumeClaim"): {"spec": CLAIM["spec"]},
    ("policy/v1", "PodDisruptionBudget"): {"spec": {"maxUnavailable": NUMBER, "selector": SELECTOR}},
    ("networking.k8s.io/v1", "NetworkPolicy"): {"spec": {
        "podSelector": SELECTOR, "policyTypes": [TEXT], "ingress": [{
            "from": [{"namespaceSelector": SELECTOR, "podSelector": SELECTOR}],
            "ports": [{"port": ANY, "protocol": TEXT}]}]}},
    ("networking.k8s.io/v1", "Ingress"): {"spec": {
        "ingressClassName": TEXT, "tls": [{"hosts": [TEXT], "secretName": TEXT}],
        "rules": [{"host": TEXT, "http": {"paths": [{
            "path": TEXT, "pathType": TEXT, "backend": {"service": {"name": TEXT, "port": {"name": TEXT}}}}]}}]}},
}


def faults(thing):
    """Sentences on what is wrong with an object; none when it is well."""
    key = (thing.get("apiVersion"), thing.get("kind"))
    if key not in OBJECTS:
        return [f"{key} is not known"]
    schema = {"apiVersion": TEXT, "kind": TEXT, "metadata": METADATA, **OBJECTS[key]}
    return list(differences(thing, schema, thing["kind"]))


def differences(value, schema, place):
    if schema is ANY:
        return
    if isinstance(schema, type):
        if type(value) is not schema:
            yield f"{place} is {value!r}, which is no {schema.__name__}"
    elif isinstance(schema, list):
        if not isinstance(value, list) or not value:
            yield f"{place} is no list with something in it"
        else:
            for index, item in enumerate(value):
                yield from differences(item, schema[0], f"{place}[{index}]")
    elif not isinstance(value, dict):
        yield f"{place} is no object"
    elif schema is TEXTS:
        for name, text in value.items():
            yield from differences(text, str, f"{place}.{name}")
    else:
        for name, inner in value.items():
            if name in schema:
                yield from differences(inner, schema[name], f"{place}.{name}")
            else:
                yield f"{place} has {name}, which is not known"
