"""From a deployment to the measured file, read back before it is given out."""

from compose.app_compose import AppOptions, app_compose_bytes
from compose.deployment import Deployment
from compose.errors import ComposeError, Exit
from compose.measured import Measured, inlined_settings, read_measured


def rendered(deployment: Deployment, options: AppOptions) -> Measured:
    """The file, which the verifier's readers take for what was asked: these settings, these images, these variables.

    Raises ComposeError for a deployment that cannot be written so.
    """
    measured = read_measured(app_compose_bytes(deployment, options))
    images = {image.reference for image in measured.audit.images}
    asked = {
        sidecar.image.text for sidecar in (deployment, deployment.ingress, deployment.telemetry) if sidecar is not None
    }
    same = inlined_settings(measured).text == deployment.settings.text
    if not same or images != asked or set(measured.app.allowed_environment) != set(deployment.host_variables):
        raise ComposeError(Exit.INTERNAL, "what was written reads as something else: this is a fault of svc-compose.")
    return measured
