"""GDPR Article 32."""
