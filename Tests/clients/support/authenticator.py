"""A device that keeps passkeys, as Chromium plays it: one with a sensor for fingerprints."""

import base64


class Authenticator:
    """The device of a window. It is verified and touched at once, unless the test says otherwise."""

    def __init__(self, page):
        self.page = page
        page.call("WebAuthn.enable")
        self.id = page.call("WebAuthn.addVirtualAuthenticator", options={
            "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
            "isUserVerified": True, "automaticPresenceSimulation": True})["authenticatorId"]

    def knows_its_user(self, knows):
        """Whether the user's finger is the right one."""
        self.page.call("WebAuthn.setUserVerified", authenticatorId=self.id, isUserVerified=knows)

    def is_touched(self, touched):
        """Whether the user touches it when it asks. Without a touch it waits."""
        self.page.call("WebAuthn.setAutomaticPresenceSimulation", authenticatorId=self.id, enabled=touched)

    def passkeys(self):
        """What it keeps."""
        return self.page.call("WebAuthn.getCredentials", authenticatorId=self.id)["credentials"]

    def ids(self):
        """The ids of its passkeys, as the server writes them."""
        return [base64.urlsafe_b64encode(base64.b64decode(passkey["credentialId"])).decode().rstrip("=")
                for passkey in self.passkeys()]

    def remove(self):
        self.page.call("WebAuthn.removeVirtualAuthenticator", authenticatorId=self.id)
