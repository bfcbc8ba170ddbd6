// A program needs GTK's own functions for its windows, and Kingfisher for its images.
@_exported public import CGtk
@_exported public import Kingfisher
