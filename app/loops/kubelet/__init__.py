"""The kubelet, one loop per part of it: pod workers, status manager, probe workers."""
