import Foundation
import Kingfisher
import KingfisherFormats
import KingfisherIsolation

// Started by programs with KingfisherIsolation: `kingfisher-decoder --worker MEMORY SECONDS ACCESS`, with a
// channel and an arena as descriptors 3 and 4.
let arguments = CommandLine.arguments.dropFirst()
guard arguments.first == "--worker" else {
    FileHandle.standardError.write(
        Data("kingfisher-decoder \(kingfisherVersion): started by programs with KingfisherIsolation\n".utf8))
    exit(2)
}
exit(WorkerMain.run(FormatCatalog.codecs, arguments: Array(arguments.dropFirst())))
