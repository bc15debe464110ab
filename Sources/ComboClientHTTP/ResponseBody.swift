internal import ComboClient
internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// Delivers a response's body in the chunks in which it arrives. URLSession's own `bytes(for:)` does not exist on Linux.
final class ResponseBody: NSObject, URLSessionDataDelegate {
  /// The maximum number of bytes of a refusal that are read.
  private static let refusalMax = 4096

  private let continuation: AsyncThrowingStream<[UInt8], any Error>.Continuation
  private let refusal = Locked<(status: Int, text: [UInt8])?>(nil)

  private init(_ continuation: AsyncThrowingStream<[UInt8], any Error>.Continuation) {
    self.continuation = continuation
  }

  /// Sends the request and returns the chunks of a body with status 200. Anything else is an error: a ``Refusal`` or URLSession's
  /// own.
  static func chunks(of request: URLRequest) -> AsyncThrowingStream<[UInt8], any Error> {
    AsyncThrowingStream { continuation in
      let session = URLSession(configuration: .ephemeral, delegate: ResponseBody(continuation), delegateQueue: nil)
      continuation.onTermination = { _ in session.invalidateAndCancel() }
      session.dataTask(with: request).resume()
    }
  }

  func urlSession(
    _: URLSession, dataTask _: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    if status != 200 { refusal.withLock { $0 = (status, []) } }
    completionHandler(.allow)
  }

  func urlSession(_: URLSession, dataTask _: URLSessionDataTask, didReceive data: Data) {
    let isRefused = refusal.withLock { refusal in
      guard let read = refusal?.text.count else { return false }
      refusal?.text += data.prefix(Self.refusalMax - read)
      return true
    }
    if !isRefused { continuation.yield(Array(data)) }
  }

  func urlSession(_: URLSession, task _: URLSessionTask, didCompleteWithError error: (any Error)?) {
    if let (status, text) = refusal.withLock({ $0 }) {
      let stated = DisplayData(json: String(decoding: text, as: UTF8.self))?.text("error")
      continuation.finish(throwing: Refusal(sentence: stated ?? "the service answered \(status)"))
    } else {
      continuation.finish(throwing: error)
    }
  }
}
