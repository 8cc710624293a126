"""How much a load needs: measured and modelled."""
