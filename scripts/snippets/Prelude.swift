import KingfisherGTK

// Names that snippets of the documentation use without declaring them.

let url = URL(filePath: "/photo.jpg")
let mirror = URL(filePath: "/mirror.jpg")
let nextPage = [url]
let photos = [url]
let image = Image()
let data = Data()
let secret = ""
let chunks = AsyncStream<Data> { $0.finish() }
@MainActor let view = ImageView()
@MainActor let imageView = ImageView()
