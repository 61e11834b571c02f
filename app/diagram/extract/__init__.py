"""The only part of the pictures that sees worlds: from a walk and a position to views."""

from app.catalog.flow import Flow
from app.diagram.extract.chart import chart_view
from app.diagram.extract.cluster import cluster_view
from app.diagram.extract.messages import messages_view
from app.diagram.extract.timeline import timeline_view
from app.kube.meta import Ref
from app.sim.walk import Walk
from app.story.sweeping import Point, Sweep

__all__ = ["Flow", "Point", "Ref", "Sweep", "Walk", "chart_view", "cluster_view", "messages_view", "timeline_view"]
