@_exported public import Kingfisher
