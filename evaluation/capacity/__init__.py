"""How much a load needs: measured, modelled and simulated."""
