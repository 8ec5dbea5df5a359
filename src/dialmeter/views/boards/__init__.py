"""Boards of judges and of trackers: tables for every style, and static pages."""
