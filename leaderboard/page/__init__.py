"""What the pages of all boards share: the state of a page and its link, regions, the table, the judge card."""
