"""Importers: other libraries' models as Cohort modules. Each needs the library it imports from."""
