"""Pages and machine interfaces: routes, page view models, rendering, failures, security headers."""
