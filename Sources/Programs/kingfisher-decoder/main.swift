import Foundation
import Kingfisher
#if WITH_VIDEO
    import KingfisherFFmpeg
#endif
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
#if WITH_VIDEO
    let video: (any VideoDecoder)? = FFmpegVideoDecoder()
#else
    let video: (any VideoDecoder)? = nil
#endif
exit(WorkerMain.run(FormatCatalog.codecs, video: video, arguments: Array(arguments.dropFirst())))
