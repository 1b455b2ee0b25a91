"""What messages call the players of Chatra."""

from workbench.base.language import trc

PLAYERS = (trc("seat and colour", "Black"), trc("seat and colour", "White"))
