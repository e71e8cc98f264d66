"""No figure improves by knowing less: claims of small organizations are withdrawn, blanked, aged, dated ahead, handed on."""
