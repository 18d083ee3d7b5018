"""A whole board by another judge: what it has not said yet is listed, asked at once, and every row made anew."""
