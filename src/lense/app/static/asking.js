// Requests to the server; what it refuses becomes an Error with its sentence.
const SILENT = "The page's server does not answer: is 'lense app' still running?";

async function answered(request) {
  let response;
  try {
    response = await request;
  } catch {
    throw Object.assign(new Error(SILENT), { status: 0 });
  }
  if (response.ok) return response.status === 204 ? null : response.json();
  const text = await response.text();
  let sentence = text.trim();
  try {
    sentence = JSON.parse(text).error;
  } catch {
    // plain text is a sentence already
  }
  throw Object.assign(new Error(sentence), { status: response.status });
}

export const get = (path) => answered(fetch(path));
export const post = (path, body) =>
  answered(fetch(path, { method: "POST", body: JSON.stringify(body ?? {}), headers: { "content-type": "application/json" } }));

// An upload says how far it is, which fetch does not.
export function upload(file, onShare) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `/api/uploads?name=${encodeURIComponent(file.name)}`);
    request.responseType = "text";
    request.upload.onprogress = (event) => onShare(event.loaded / event.total);
    request.onerror = () => reject(new Error("The file did not arrive: it may be too large, or the server has ended."));
    request.onload = () => {
      let answer = {};
      try {
        answer = JSON.parse(request.responseText);
      } catch {
        answer = { error: request.responseText.trim() };
      }
      if (request.status < 300) resolve(answer);
      else reject(new Error(answer.error));
    };
    request.send(file);
  });
}
