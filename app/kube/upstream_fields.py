"""What real manifests hold beyond the modelled fields: real fields that are left out, and what a server fills in."""

from __future__ import annotations

from typing import Any


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Real fields of Kubernetes 1.36 that the model leaves out, by type: reported as not modelled, never called a typo.
_LEFT_OUT = {
    "Pod": "",
    "PodSpec": """dnsConfig dnsPolicy enableServiceLinks ephemeralContainers
        hostAliases hostIPC hostPID hostUsers hostname hostnameOverride os resourceClaims
        runtimeClassName schedulingGroup securityContext serviceAccount setHostnameAsFQDN shareProcessNamespace
        subdomain workloadRef""",
    "Affinity": "",
    "NodeAffinity": "preferredDuringSchedulingIgnoredDuringExecution",
    "PodAffinity": "preferredDuringSchedulingIgnoredDuringExecution",
    "PodAntiAffinity": "preferredDuringSchedulingIgnoredDuringExecution",
    "PodAffinityTerm": "matchLabelKeys mismatchLabelKeys namespaceSelector",
    "TopologySpreadConstraint": "matchLabelKeys nodeAffinityPolicy nodeTaintsPolicy",
    "Container": """resizePolicy restartPolicyRules securityContext stdin stdinOnce
        terminationMessagePath terminationMessagePolicy tty volumeDevices workingDir""",
    "ContainerPort": "hostIP",
    "EnvVarSource": "fieldRef fileKeyRef resourceFieldRef",
    "ConfigMap": "",
    "Secret": "",
    "HTTPGetAction": "httpHeaders",
    "Lifecycle": "stopSignal",
    "ResourceRequirements": "claims",
    "VolumeMount": "mountPropagation recursiveReadOnly subPathExpr",
    "Volume": """awsElasticBlockStore azureDisk azureFile cephfs cinder csi downwardAPI ephemeral fc flexVolume flocker
        gcePersistentDisk gitRepo glusterfs image iscsi nfs photonPersistentDisk portworxVolume quobyte rbd
        scaleIO storageos vsphereVolume""",
    "ConfigMapVolumeSource": "defaultMode",
    "SecretVolumeSource": "defaultMode",
    "KeyToPath": "mode",
    "ProjectedVolumeSource": "defaultMode",
    "VolumeProjection": "clusterTrustBundle downwardAPI podCertificate serviceAccountToken",
    "ObjectMeta": "deletionGracePeriodSeconds deletionTimestamp ownerReferences",
    "DeploymentSpec": "rollbackTo",
    "StatefulSetSpec": "ordinals persistentVolumeClaimRetentionPolicy",
    "DaemonSetSpec": "",
    "JobSpec": """backoffLimitPerIndex completionMode managedBy maxFailedIndexes podFailurePolicy scheduling
        successPolicy ttlSecondsAfterFinished""",
    "CronJobSpec": "timeZone",
    "ServiceSpec": """allocateLoadBalancerNodePorts clusterIPs externalIPs externalName healthCheckNodePort ipFamilies
        ipFamilyPolicy loadBalancerClass loadBalancerIP loadBalancerSourceRanges sessionAffinity sessionAffinityConfig
        topologyKeys trafficDistribution""",
    "ServicePort": "appProtocol",
    "NodeSpec": "configSource externalID podCIDRs",
    "NodeStatus": "config daemonEndpoints features images phase runtimeHandlers",
    "PersistentVolumeClaimSpec": "dataSource dataSourceRef selector volumeAttributesClassName volumeMode",
    "PersistentVolumeClaimStatus": """accessModes allocatedResourceStatuses allocatedResources capacity conditions
        currentVolumeAttributesClassName modifyVolumeStatus""",
    "PersistentVolume": "status",
    "PersistentVolumeSpec": """awsElasticBlockStore azureDisk azureFile cephfs cinder fc flexVolume flocker
        gcePersistentDisk glusterfs hostPath iscsi local mountOptions nfs nodeAffinity persistentVolumeReclaimPolicy
        photonPersistentDisk portworxVolume quobyte rbd scaleIO storageos volumeAttributesClassName volumeMode
        vsphereVolume""",
    "CSIPersistentVolumeSource": """controllerExpandSecretRef controllerPublishSecretRef fsType nodeExpandSecretRef
        nodePublishSecretRef nodeStageSecretRef readOnly volumeAttributes""",
    "ClaimReference": "apiVersion fieldPath kind resourceVersion uid",
    "VolumeAttachmentSource": "inlineVolumeSpec",
    "VolumeAttachmentStatus": "attachError attachmentMetadata detachError",
    "NodeSystemInfo": "bootID kubeProxyVersion machineID operatingSystem swap systemUUID",
    "EndpointSlice": "",
    "Endpoint": "deprecatedTopology hints hostname zone",
    "EndpointPort": "appProtocol",
    "EndpointConditions": "",
    "ObjectReference": "apiVersion fieldPath resourceVersion",
    "LeaseSpec": "acquireTime preferredHolder strategy",
    "PodTemplateSpec": "",
}
LEFT_OUT = {type_: _words(names) for type_, names in _LEFT_OUT.items()}

# Modelled, but a walk starts without them: an owner is known by its uid, and uids are the server's.
NOT_TAKEN = {"ObjectMeta": _words("deletionGracePeriodSeconds deletionTimestamp ownerReferences")}

# Read for what others say of them, and otherwise left out.
READ_ONLY = {
    "StatefulSetSpec": _words("volumeClaimTemplates"),
    "RollingUpdateStatefulSet": _words("maxUnavailable"),
}

# What a server adds to `kubectl get -o yaml`, and what only repeats another field: dropped without a word.
SERVER_SIDE = {
    "ObjectMeta": _words("creationTimestamp generation managedFields resourceVersion selfLink uid"),
    "PodSpec": _words("serviceAccount"),
    "ServiceSpec": _words("clusterIPs"),
    "JobSpec": _words("selector"),
    "NodeSpec": _words("podCIDRs"),
    "NodeStatus": LEFT_OUT["NodeStatus"] | {"conditions"},
    "NodeSystemInfo": LEFT_OUT["NodeSystemInfo"],
}

# A field left out of the model, at the value that a server gives it, changes nothing and is not worth reporting.
SERVER_DEFAULTS: dict[str, dict[str, Any]] = {
    "PodSpec": {
        "dnsPolicy": "ClusterFirst",
        "enableServiceLinks": True,
    },
    "TopologySpreadConstraint": {"nodeAffinityPolicy": "Honor", "nodeTaintsPolicy": "Ignore"},
    "Container": {
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
    },
    "ServiceSpec": {
        "allocateLoadBalancerNodePorts": True,
        "ipFamilies": ["IPv4"],
        "ipFamilyPolicy": "SingleStack",
        "sessionAffinity": "None",
    },
    "RollingUpdateStatefulSet": {"maxUnavailable": 1},
    "JobSpec": {"completionMode": "NonIndexed"},
    "CronJobSpec": {"timeZone": "Etc/UTC"},
    "StatefulSetSpec": {
        "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Retain", "whenScaled": "Retain"},
    },
}

# Groups without a dot, and those under k8s.io, are Kubernetes' own; all others belong to custom resources.
UPSTREAM_KINDS = _words(
    """APIService Binding CSIDriver CSINode CSIStorageCapacity CertificateSigningRequest ClusterRole
    ClusterRoleBinding ClusterTrustBundle ComponentStatus ConfigMap ControllerRevision CronJob
    CustomResourceDefinition DaemonSet Deployment DeviceClass DeviceTaintRule EndpointSlice Endpoints Event Eviction
    FlowSchema HorizontalPodAutoscaler IPAddress Ingress IngressClass Job Lease LeaseCandidate LimitRange
    MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingWebhookConfiguration Namespace NetworkPolicy Node
    PersistentVolume PersistentVolumeClaim Pod PodCertificateRequest PodDisruptionBudget PodGroup PodSecurityPolicy
    PodTemplate PriorityClass PriorityLevelConfiguration ReplicaSet ReplicationController ResourceClaim
    ResourceClaimTemplate ResourceQuota ResourceSlice Role RoleBinding RuntimeClass Secret Service ServiceAccount
    ServiceCIDR StatefulSet StorageClass StorageVersionMigration ValidatingAdmissionPolicy
    ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration VolumeAttachment VolumeAttributesClass
    Workload"""
)

# Versions that a kind had once, and the release that ceased to serve them (the deprecated API migration guide).
_WORKLOADS = {"extensions/v1beta1": "1.16", "apps/v1beta2": "1.16"}
RETIRED = {
    "Deployment": _WORKLOADS | {"apps/v1beta1": "1.16"},
    "StatefulSet": {"apps/v1beta1": "1.16", "apps/v1beta2": "1.16"},
    "DaemonSet": _WORKLOADS,
    "ReplicaSet": _WORKLOADS,
    "CronJob": {"batch/v1beta1": "1.25", "batch/v2alpha1": "1.21"},
    "PodDisruptionBudget": {"policy/v1beta1": "1.25"},
    "EndpointSlice": {"discovery.k8s.io/v1beta1": "1.25"},
    "PriorityClass": {"scheduling.k8s.io/v1beta1": "1.22"},
    "Lease": {"coordination.k8s.io/v1beta1": "1.22"},
    "VolumeAttachment": {"storage.k8s.io/v1beta1": "1.22"},
}


def is_upstream_group(api_version: str) -> bool:
    """Whether an apiVersion belongs to Kubernetes itself."""
    group = api_version.rpartition("/")[0]
    return "." not in group or group.endswith(".k8s.io")
