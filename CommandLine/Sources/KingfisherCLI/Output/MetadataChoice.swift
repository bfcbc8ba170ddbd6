import ArgumentParser
import Kingfisher

/// The values of `--metadata`.
enum MetadataChoice: String, CaseIterable, ExpressibleByArgument {
    case keep
    case keepWithoutLocation = "keep-without-location"
    case copyright
    case strip

    var policy: MetadataPolicy {
        switch self {
        case .keep: .keep
        case .keepWithoutLocation: .keepWithoutLocation
        case .copyright: .keepCopyright
        case .strip: .strip
        }
    }
}

/// Metadata of a file that is copied cannot be changed as `--metadata` says.
struct MetadataError: Error, Hashable {
    let reason: ImageCodecError
}
