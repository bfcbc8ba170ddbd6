// Programs need GTK's functions for windows and Kingfisher for images.
@_exported public import CGtk
@_exported public import Kingfisher
